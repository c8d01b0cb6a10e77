/** Paths of requests with one response, below `/v1/`. */
export type EndpointPath =
  | 'images/generations'
  | 'images/edits'
  | 'audio/speech'
  | 'audio/transcriptions'
  | 'moderations'

/** File of a form. */
export interface EndpointFile {
  /** Name of the field in an SDK. */
  readonly field: string
  readonly file: File
  /** True if the field is a list: `image[]` in the form. */
  readonly isList?: boolean
}

/** Request of the playground for images, sound or moderations. */
export interface EndpointRequest {
  readonly path: EndpointPath
  /** Fields with their names in an SDK. Undefined values are not sent. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Files. With them, the body is a form, otherwise JSON. */
  readonly files?: readonly EndpointFile[] | undefined
}

/** Entries of a form, in order. A list has an entry for each value. */
export function formEntries({ fields, files = [] }: EndpointRequest): readonly (readonly [string, string | File])[] {
  const texts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return Array.isArray(value)
      ? value.map((one) => [`${name}[]`, String(one)] as const)
      : [[name, String(value)] as const]
  })
  return [...texts, ...files.map(({ field, file, isList }) => [isList ? `${field}[]` : field, file] as const)]
}

export function bodyOf(request: EndpointRequest): string | FormData {
  if (!request.files) return JSON.stringify(request.fields)
  const form = new FormData()
  for (const [name, value] of formEntries(request)) form.append(name, value)
  return form
}

/** Text of a body for display. Files are named by their size. */
export function sentText(request: EndpointRequest): string {
  if (!request.files) return JSON.stringify(request.fields)
  return formEntries(request)
    .map(([name, value]) => {
      const text =
        typeof value === 'string' ? value : `${value.name} (${value.type || 'unknown type'}, ${value.size} bytes)`
      return `${name}: ${text}`
    })
    .join('\n')
}

/** Number in a field; undefined if it is empty, NaN if it is not a number. */
export function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}
