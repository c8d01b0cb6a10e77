const MOST = 240

/** Value in a message. */
export function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text
}
