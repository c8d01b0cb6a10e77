/** Floating-point value of an attribute. Plain numbers are integers. */
export interface Double {
  readonly double: number
}

/** Value of an attribute. Numbers must be integers. */
export type AttributeValue = string | number | boolean | Double | readonly string[]

/** Attribute of a span, an event or a resource. */
export type Attribute = readonly [name: string, value: AttributeValue]

/** Reference to a span of another trace, or of another part of this one. */
export interface SpanLink {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly attributes?: readonly Attribute[] | undefined
}

/** Finished span. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Id of the parent span; absent for the root of a trace. */
  readonly parentId?: string | undefined
  /** True if the parent belongs to another process. */
  readonly isParentRemote: boolean
  /** The caller's `tracestate`. */
  readonly state?: string | undefined
  readonly isSampled: boolean
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Unix time in milliseconds. */
  readonly endedAt: number
  readonly attributes: readonly Attribute[]
  readonly links: readonly SpanLink[]
  /** Description of the failure; absent if the operation succeeded. */
  readonly failure?: string | undefined
}

/** Spans with what sent them. */
export interface SpanBatch {
  readonly resource: readonly Attribute[]
  /** Version of this program. */
  readonly version: string
  /** URL of the conventions that the attributes follow. */
  readonly schemaUrl: string
  readonly spans: readonly Span[]
}

/** Values of the field `kind`. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const

/** Value of the field `code` of a failed span's status. */
export const STATUS_ERROR = 2

/** Name of the instrumentation scope. */
export const SCOPE = 'headgate'

/** Flags of a span: the W3C trace flags, and whether the parent belongs to another process. */
export function flagsOf({ isSampled, isParentRemote }: Pick<Span, 'isSampled' | 'isParentRemote'>): number {
  return (isSampled ? 0x01 : 0) | 0x100 | (isParentRemote ? 0x200 : 0)
}

/** True for an integer attribute value. Other numbers are written as doubles. */
export function isDouble(value: AttributeValue): value is Double {
  return typeof value === 'object' && 'double' in value
}
