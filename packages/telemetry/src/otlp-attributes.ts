import type { ProtobufWriter } from './protobuf.ts'
import { type Attribute, type AttributeValue, isDouble } from './span.ts'

/** Writes attributes as `KeyValue` messages. */
export function writeAttributes(writer: ProtobufWriter, field: number, attributes: readonly Attribute[]): void {
  for (let at = attributes.length - 1; at >= 0; at--) {
    const attribute = attributes[at]
    if (!attribute) continue
    const begin = writer.end
    writeValue(writer, 2, attribute[1])
    writer.text(1, attribute[0])
    writer.message(field, begin)
  }
}

/** Writes an `AnyValue`. */
function writeValue(writer: ProtobufWriter, field: number, value: AttributeValue): void {
  const begin = writer.end
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.boolean(2, value)
  else if (typeof value === 'number') writer.integer(3, value)
  else if (isDouble(value)) writer.double(4, value.double)
  else {
    const array = writer.end
    for (let at = value.length - 1; at >= 0; at--) writeValue(writer, 1, value[at] ?? '')
    writer.message(5, array)
  }
  writer.message(field, begin)
}

/** Attributes as `KeyValue` messages in JSON. */
export function jsonAttributes(attributes: readonly Attribute[]): object[] {
  return attributes.map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return { intValue: String(value) }
  if (isDouble(value)) return { doubleValue: value.double }
  return { arrayValue: { values: value.map(anyValue) } }
}
