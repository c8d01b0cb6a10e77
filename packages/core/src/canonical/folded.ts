const NOT_ASCII = /[^\x20-\x7e]/

/**
 * Name of a field without case, `_` and `-`: `Max_Tokens`, `max-tokens` and `maxTokens` are one name to some servers.
 * Letters that fold to ASCII letters count as these, as in Go's `encoding/json` (`ſ` is `s`).
 *
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
export function folded(name: string): string {
  const plain = name.includes('_') || name.includes('-') ? name.replace(/[_-]/g, '') : name
  return (NOT_ASCII.test(plain) ? plain.toUpperCase() : plain).toLowerCase()
}
