/** A server-sent event. */
export interface Event {
  readonly name: string | undefined
  readonly data: string
}

/** The events of a whole stream, line by line as the standard says; a last one without its blank line counts. */
export function readEvents(source: string): Event[] {
  const events: Event[] = []
  let name: string | undefined
  let data: string[] = []
  for (const line of [...source.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    if (line === '') {
      if (data.length > 0) events.push({ name, data: data.join('\n') })
      name = undefined
      data = []
      continue
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return events
}

/** The JSON values that the events of a stream hold. */
export function valuesOf(source: string): unknown[] {
  return readEvents(source).flatMap(({ data }) => (data.startsWith('[DONE]') ? [] : [JSON.parse(data) as unknown]))
}

/** Values as a stream of events, with the line ends that Google uses. */
export function dataOf(values: readonly unknown[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join('')
}
