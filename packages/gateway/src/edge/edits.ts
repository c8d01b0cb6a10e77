import type { Edit } from '@headgate/core/canonical'
import { isObject, type Json, put } from '@headgate/core/canonical'

/** What is to change at one place of a body, and below it. */
export interface Change {
  /** Set where a value is put in the place of what stands there. */
  edit?: Edit
  /** Keys that are taken out of the object there. */
  without?: Set<string>
  /** By key or index. */
  inner?: Map<string | number, Change>
}

/**
 * Edits as a tree, so that a body is gone through once, whatever their number. Of two edits of one place the later
 * counts.
 */
export function changesOf(edits: readonly Edit[]): Change {
  const root: Change = {}
  for (const edit of edits) {
    let place = root
    for (const step of edit.path) place = within(place, step)
    if (!edit.without) place.edit = edit
    else place.without = new Set([...(place.without ?? []), ...edit.without])
  }
  return root
}

function within(change: Change, step: string | number): Change {
  change.inner ??= new Map()
  const known = change.inner.get(step)
  if (known) return known
  const made: Change = {}
  change.inner.set(step, made)
  return made
}

/** The value of a body with the edits made; what is not touched is shared. */
export function edited(body: Json, edits: readonly Edit[]): Json {
  return changed(body, changesOf(edits)) as Json
}

function changed(node: unknown, { edit, without, inner }: Change): unknown {
  if (edit) return edit.value
  if (Array.isArray(node)) {
    const list: unknown[] = node.slice()
    for (const [step, change] of inner ?? [])
      if (typeof step === 'number' && step in list) list[step] = changed(list[step], change)
    return list
  }
  const out: Json = {}
  if (isObject(node)) for (const key in node) if (!without?.has(key)) put(out, key, node[key])
  for (const [key, change] of inner ?? []) {
    if (Object.hasOwn(out, key) || change.edit) put(out, key, changed(out[key], change))
  }
  return out
}
