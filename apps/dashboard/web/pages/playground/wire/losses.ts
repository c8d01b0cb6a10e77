export interface SaidLoss {
  readonly path: string
  readonly kind: string
  readonly reason: string
}

/** What `headgate-lost` says: `temperature, reasoning_effort;changed`, and `+3` for what it has no room for. */
export function lossesOf(header: string): readonly SaidLoss[] {
  const parts = header.split(',').map((part) => part.trim())
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      if (/^\+\d+$/.test(part)) return { path: `${part.slice(1)} more`, kind: 'lost', reason: '' }
      const [path = '', kind = 'dropped'] = part.split(';')
      return { path: path.trim(), kind: kind.trim(), reason: '' }
    })
}
