/**
 * One payload, two formats, the same value: integers of 64 bits stay exact, `1.0` stays a float, keys keep their order and
 * repeats. What MessagePack has no integer for becomes the double that `JSON.parse` would make of it. The scanners do the
 * reading, so their bound on nesting also bounds the recursion here.
 */
import { JsonCursor } from "./json-scan.ts";
import { MsgpackCursor } from "./msgpack-scan.ts";
import { MsgpackWriter } from "./msgpack-writer.ts";

/** A JSON document as MessagePack. MALFORMED_BODY. */
export function jsonToMsgpack(bytes: Buffer): Buffer {
  const sizes: number[] = [];
  const reader = new JsonCursor(bytes);
  measure(reader, sizes);
  reader.end();
  const writer = new MsgpackWriter(bytes.length);
  writeMsgpack(new JsonCursor(bytes), sizes.values(), writer);
  return writer.finish();
}

/** A MessagePack document as JSON without white space. MALFORMED_BODY. */
export function msgpackToJson(bytes: Buffer): Buffer {
  const reader = new MsgpackCursor(bytes);
  const json = jsonOf(reader);
  reader.end();
  return Buffer.from(json);
}

/** The numbers of items and members of all arrays and objects in order of their beginnings: MessagePack says them first. */
function measure(reader: JsonCursor, sizes: number[]): void {
  const place = sizes.length;
  let size = 0;
  if (reader.enterObject()) {
    sizes.push(0);
    for (; reader.nextKey() !== undefined; size += 1) measure(reader, sizes);
  } else if (reader.enterArray()) {
    sizes.push(0);
    for (; reader.nextItem(); size += 1) measure(reader, sizes);
  } else {
    reader.skip();
    return;
  }
  sizes[place] = size;
}

function writeMsgpack(reader: JsonCursor, sizes: Iterator<number>, writer: MsgpackWriter): void {
  if (reader.enterObject()) {
    writer.map(sizes.next().value ?? 0);
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      writer.text(key);
      writeMsgpack(reader, sizes, writer);
    }
  } else if (reader.enterArray()) {
    writer.array(sizes.next().value ?? 0);
    while (reader.nextItem()) writeMsgpack(reader, sizes, writer);
  } else if (reader.nextIsFloat()) writer.float(Number(reader.value()));
  else writer.scalar(reader.value());
}

function jsonOf(reader: MsgpackCursor): string {
  if (reader.enterObject()) {
    const members: string[] = [];
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      members.push(`${JSON.stringify(key)}:${jsonOf(reader)}`);
    }
    return `{${members.join(",")}}`;
  }
  if (reader.enterArray()) {
    const items: string[] = [];
    while (reader.nextItem()) items.push(jsonOf(reader));
    return `[${items.join(",")}]`;
  }
  if (reader.nextIsFloat()) return floatText(Number(reader.value()));
  const value = reader.value();
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

/** The shortest decimal of a double, recognizable as a float. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
