/**
 * Payloads travel as JSON values. This is the one place that says what happens to a JavaScript value that is none:
 *
 *   undefined member of an object, symbol key   left out
 *   object with toJSON(), such as a Date        its toJSON()
 *   bigint of 64 bits                           an integer, exact
 *   everything else that JSON would lose or change quietly (undefined elsewhere, function, symbol, NaN, Infinity, a wider
 *   bigint, Map, Set, typed array and Buffer, RegExp, Error, Promise, invalid Date, half a surrogate pair, a cycle)
 *                                               INVALID_FIELD, before anything is sent
 */
import { QueueError } from "@millrace/protocol/errors";
import { U64_MAX } from "@millrace/protocol/ids";

/** The server's bound for nesting of a whole request; a cycle meets it too. */
const NESTING_MAX = 500;
const I64_MIN = -(2n ** 63n);
const HALF_SURROGATE = /\p{Surrogate}/u;

/** The payload as a plain JSON value (plus bigints): the same object if it is one already. INVALID_FIELD. */
export function plainPayload(payload: unknown): unknown {
  return new Walk().value(payload);
}

/** Whether a text survives UTF-8: no half of a surrogate pair on its own. */
export function isWellFormed(text: string): boolean {
  return !HALF_SURROGATE.test(text);
}

class Walk {
  readonly #path: (string | number)[] = [];

  /** `converted`: the value comes from a toJSON(), which JSON asks only once. */
  value(value: unknown, converted = false): unknown {
    switch (typeof value) {
      case "string":
        if (!isWellFormed(value)) this.#refuse("holds half a surrogate pair, which UTF-8 cannot carry");
        return value;
      case "number":
        if (!Number.isFinite(value)) this.#refuse(`is ${value}, which JSON has no word for`);
        return value;
      case "boolean":
        return value;
      case "bigint":
        if (value > U64_MAX || value < I64_MIN) this.#refuse("is a bigint of more than 64 bits");
        return value;
      case "object":
        return value === null ? null : this.#object(value, converted);
      default:
        return this.#refuse(`is ${value === undefined ? "undefined" : `a ${typeof value}`}, which JSON cannot hold`);
    }
  }

  #object(value: object, converted: boolean): unknown {
    if (this.#path.length >= NESTING_MAX) {
      this.#path.length = 8;
      this.#refuse(`… is nested deeper than ${NESTING_MAX}, or contains itself`);
    }
    if (Array.isArray(value)) return this.#array(value);
    if (ArrayBuffer.isView(value)) this.#refuse(`is a ${nameOf(value)}; send binary data as base64 text`);
    if (!converted && "toJSON" in value && typeof value.toJSON === "function") {
      if (value instanceof Date && Number.isNaN(value.getTime())) this.#refuse("is an invalid Date");
      return this.value(value.toJSON(String(this.#path.at(-1) ?? "")), true);
    }
    if (isOpaque(value)) this.#refuse(`is a ${nameOf(value)}, which JSON would empty; convert it first`);
    return this.#members(value);
  }

  #array(values: readonly unknown[]): unknown {
    let copy: unknown[] | undefined;
    for (let i = 0; i < values.length; i += 1) {
      this.#path.push(i);
      const plain = this.value(values[i]);
      this.#path.pop();
      if (plain !== values[i] && copy === undefined) copy = values.slice(0, i);
      copy?.push(plain);
    }
    return copy ?? values;
  }

  #members(value: object): unknown {
    const entries = Object.entries(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    let changed = prototype !== Object.prototype && prototype !== null;
    for (const entry of entries) {
      if (entry[1] === undefined) {
        changed = true;
        continue;
      }
      if (!isWellFormed(entry[0])) this.#refuse("has a key that holds half a surrogate pair");
      this.#path.push(entry[0]);
      const plain = this.value(entry[1]);
      this.#path.pop();
      if (plain === entry[1]) continue;
      changed = true;
      entry[1] = plain;
    }
    return changed ? Object.fromEntries(entries.filter((entry) => entry[1] !== undefined)) : value;
  }

  #refuse(what: string): never {
    const path = this.#path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
    throw new QueueError("INVALID_FIELD", `payload${path} ${what}`);
  }
}

function isOpaque(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof RegExp ||
    value instanceof Error ||
    value instanceof Promise ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer
  );
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "value";
}
