/** Maximum length of a string in generated code, in characters. */
const LONGEST = 2_000

/** JavaScript literal of a value, with unquoted member names and shortened data. */
export function literal(value: unknown, indent = ''): string {
  const json = JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? shortened(one) : one), 2)
  // JSON strings have no line breaks, so a quoted string at the start of a line is a name.
  return json.replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:').replaceAll('\n', `\n${indent}`)
}

/** Members of an object that are not undefined, one per line, without braces. */
export function members(value: Readonly<Record<string, unknown>>, indent = '  '): string {
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(
      ([name, one]) =>
        `${indent}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(one, indent)},`,
    )
    .join('\n')
}

/** Shortens long base64 data, which readers replace with their own. */
export function shortened(text: string): string {
  if (text.length <= LONGEST || !/^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=]+$/.test(text)) return text
  return `${text.slice(0, 60)}…`
}
