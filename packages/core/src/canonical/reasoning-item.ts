/**
 * Signature value that contains the id of a reasoning item, since OpenAI binds encrypted reasoning to it:
 * `rs_1:<encrypted>`. Ids of another form are left out.
 */
export function itemValue(id: string | undefined, encrypted: string): string {
  return id !== undefined && ID.test(id) ? `${id}:${encrypted}` : encrypted
}

/** Id and encrypted reasoning in a value of {@link itemValue}. */
export function itemOf(value: string): { readonly id?: string; readonly encrypted: string } {
  const [, id, encrypted] = /^(rs_[^:]*):(.*)$/s.exec(value) ?? []
  return id === undefined || encrypted === undefined ? { encrypted: value } : { id, encrypted }
}

const ID = /^rs_[^:]*$/
