/** A client that is asked after and can not be tried as the others are. */
export interface Untried {
  readonly name: string
  readonly reason: string
}

export const UNTRIED: readonly Untried[] = [
  { name: 'Codex', reason: 'speaks the responses API alone, which the gateway does not have yet' },
]
