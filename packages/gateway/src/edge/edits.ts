import type { Edit } from '@headgate/core/canonical'
import { isObject, type Json, put } from '@headgate/core/canonical'

/** Changes at one path of a body, and below it. */
export interface EditTree {
  /** Set if the value at this path is replaced. */
  edit?: Edit
  /** Keys to remove from the object at this path. */
  without?: Set<string>
  /** Changes below this path, by key or index. */
  inner?: Map<string | number, EditTree>
}

/** Builds a tree of edits, so that a body is traversed once for all of them. A later edit of the same path wins. */
export function editTreeOf(edits: readonly Edit[]): EditTree {
  const root: EditTree = {}
  for (const edit of edits) {
    let place = root
    for (const step of edit.path) place = within(place, step)
    if (!edit.without) place.edit = edit
    else place.without = new Set([...(place.without ?? []), ...edit.without])
  }
  return root
}

function within(change: EditTree, step: string | number): EditTree {
  change.inner ??= new Map()
  const known = change.inner.get(step)
  if (known) return known
  const added: EditTree = {}
  change.inner.set(step, added)
  return added
}

/** Body with the edits applied. Unchanged parts are shared with the original. */
export function edited(body: Json, edits: readonly Edit[]): Json {
  return changed(body, editTreeOf(edits)) as Json
}

function changed(node: unknown, { edit, without, inner }: EditTree): unknown {
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
