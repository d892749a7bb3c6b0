import { QueueError } from "./errors.ts";

/** What becomes of a finite number or a bigint; undefined = it cannot be held. */
export type NumberRule = (value: number | bigint) => number | bigint | undefined;

/** More arrays and objects within each other than any request may hold, so that a cycle ends here too. */
const NESTING_MAX = 1000;

export interface PlainValue {
  /** Made of null, booleans, finite numbers, bigints, strings, arrays and objects of these only. The input itself if it was. */
  readonly value: unknown;
  readonly hasBigint: boolean;
}

/**
 * What both formats of the wire can hold of a value. As in `JSON.stringify`, `toJSON` is asked and undefined members are left
 * out. Anything that would be lost or changed without a word is refused: INVALID_FIELD with the path to it.
 * @param numbers a last word of the format on numbers
 */
export function plainValue(value: unknown, numbers: NumberRule = unchanged): PlainValue {
  const walk = new Walk(numbers);
  return { value: walk.value(value), hasBigint: walk.hasBigint };
}

function unchanged(value: number | bigint): number | bigint {
  return value;
}

class Walk {
  hasBigint = false;
  readonly #numbers: NumberRule;
  readonly #path: (string | number)[] = [];

  constructor(numbers: NumberRule) {
    this.#numbers = numbers;
  }

  value(value: unknown): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return this.#numbers(Number.isFinite(value) ? value : this.#refuse(`is ${value}`));
      case "bigint":
        this.hasBigint = true;
        return this.#numbers(value) ?? this.#refuse("is an integer of more than 64 bits");
      case "object":
        return value === null ? null : this.#object(value);
      default:
        return this.#refuse(value === undefined ? "is undefined" : `is a ${typeof value}`);
    }
  }

  #object(value: object): unknown {
    if (this.#path.length >= NESTING_MAX) {
      this.#path.length = 4;
      this.#refuse(`… nests deeper than ${NESTING_MAX} levels, perhaps because it contains itself`);
    }
    if (Array.isArray(value)) return this.#array(value);
    if ("toJSON" in value && typeof value.toJSON === "function") {
      const json: unknown = value.toJSON(String(this.#path.at(-1) ?? ""));
      // JSON asks once: an answer that has a toJSON itself is taken as it is.
      return typeof json === "object" && json !== null && !Array.isArray(json) ? this.#members(json) : this.value(json);
    }
    return this.#members(value);
  }

  #array(items: readonly unknown[]): unknown {
    let copy: unknown[] | undefined;
    for (let i = 0; i < items.length; i += 1) {
      this.#path.push(i);
      const plain = this.value(items[i]);
      this.#path.pop();
      if (plain !== items[i]) copy ??= [...items];
      if (copy !== undefined) copy[i] = plain;
    }
    return copy ?? items;
  }

  #members(value: object): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Of a class's instance a plain copy is made: the encoders give some classes a meaning of their own.
    let changed = prototype !== Object.prototype && prototype !== null;
    const members = Object.entries(value).filter((member) => {
      if (member[1] === undefined) {
        changed = true;
        return false;
      }
      this.#path.push(member[0]);
      const plain = this.value(member[1]);
      this.#path.pop();
      if (plain !== member[1]) {
        changed = true;
        member[1] = plain;
      }
      return true;
    });
    return changed ? Object.fromEntries(members) : value;
  }

  #refuse(what: string): never {
    const path = this.#path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
    const name = path === "" ? "the value" : path.replace(/^\./, "");
    throw new QueueError("INVALID_FIELD", `${name} ${what}, which cannot be sent`);
  }
}
