/**
 * OpenAI binds encrypted reasoning to the id of the item that holds it, so the id is part of the signature's value:
 * `rs_1:<encrypted>`. An id of another form means nothing, and is left out.
 */
export function itemValue(id: string | undefined, encrypted: string): string {
  return id !== undefined && ID.test(id) ? `${id}:${encrypted}` : encrypted
}

/** What such a value is made of. */
export function itemOf(value: string): { readonly id?: string; readonly encrypted: string } {
  const [, id, encrypted] = /^(rs_[^:]*):(.*)$/s.exec(value) ?? []
  return id === undefined || encrypted === undefined ? { encrypted: value } : { id, encrypted }
}

const ID = /^rs_[^:]*$/
