const NOT_ASCII = /[^\x20-\x7e]/

/**
 * Field name without case, `_` and `-`: `Max_Tokens`, `max-tokens` and `maxTokens` are the same name for some servers.
 * Letters that fold to ASCII letters are equal to them, as in Go's `encoding/json` (`ſ` is `s`).
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
export function folded(name: string): string {
  const plain = name.includes('_') || name.includes('-') ? name.replace(/[_-]/g, '') : name
  return (NOT_ASCII.test(plain) ? plain.toUpperCase() : plain).toLowerCase()
}
