/** Longest text that code repeats, in characters: files are longer. */
const LONGEST = 2_000

/** A value as code has it: names of members without quotes where they need none, long data cut. */
export function literal(value: unknown, indent = ''): string {
  const json = JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? shortened(one) : one), 2)
  // Texts have no line breaks of their own in JSON: what begins a line is a name.
  return json.replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:').replaceAll('\n', `\n${indent}`)
}

/** Members of an object that are not undefined, each on a line of its own, without the braces. */
export function members(value: Readonly<Record<string, unknown>>, indent = '  '): string {
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(
      ([name, one]) =>
        `${indent}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(one, indent)},`,
    )
    .join('\n')
}

/** A text whose data, if it has such, is only begun: whoever runs the code puts a file there. */
export function shortened(text: string): string {
  if (text.length <= LONGEST || !/^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=]+$/.test(text)) return text
  return `${text.slice(0, 60)}…`
}
