/** Values of forms that were open when a session ended. They stay in memory only. */
interface Drafts {
  /** ID of the user. */
  readonly user: string
  readonly path: string
  /** Values by form and field. */
  readonly texts: ReadonlyMap<string, string>
}

let kept: Drafts | undefined

/** Fields whose text is kept: never passwords, files or choices. */
const FIELDS = 'textarea, input:not([type]), input[type="text"], input[type="email"], input[type="search"]'

/** Keeps the values of all forms of the page, until the user signs in again. */
export function keepDrafts(user: string | undefined, path: string): void {
  if (user === undefined) return
  const forms = [...document.querySelectorAll('form')]
  const texts = new Map(forms.flatMap((form) => fieldsOf(form).map(([name, field]) => [name, field.value] as const)))
  kept = { user, path, texts: new Map([...texts].filter(([, text]) => text !== '')) }
}

/** Forgets all drafts. */
export function forgetDrafts(): void {
  kept = undefined
}

/** Restores the values of a form once, if the same user opens it at the same address. @returns number of fields */
export function restoreDrafts(form: HTMLFormElement, user: string | undefined, path: string): number {
  // The sign-in page has a form, too.
  if (kept === undefined || user === undefined) return 0
  if (kept.user !== user) {
    forgetDrafts()
    return 0
  }
  if (kept.path !== path) return 0
  const texts = new Map(kept.texts)
  const changed = fieldsOf(form).filter(([name, field]) => {
    const text = texts.get(name)
    texts.delete(name)
    return text !== undefined && text !== field.value && write(field, text)
  })
  kept = texts.size > 0 ? { ...kept, texts } : undefined
  return changed.length
}

type TextControl = HTMLInputElement | HTMLTextAreaElement

function fieldsOf(form: HTMLFormElement): readonly (readonly [name: string, field: TextControl])[] {
  const title = form.closest('dialog, section, main')?.querySelector('h1, h2')?.textContent ?? ''
  return [...form.querySelectorAll<TextControl>(FIELDS)]
    .filter(({ readOnly, disabled }) => !readOnly && !disabled)
    .map((field, index) => [`${title}\n${field.labels?.[0]?.textContent ?? ''}\n${index}`, field])
}

/** Sets the text as typing does, so that React notices it. */
function write(field: TextControl, text: string): boolean {
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text)
  return field.dispatchEvent(new Event('input', { bubbles: true }))
}
