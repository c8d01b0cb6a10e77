/** Joins class names and skips false values. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

/** Classes of a control without its width. */
export const CONTROL_LOOK =
  'min-h-(--control) pointer-coarse:min-h-11 rounded-field border border-field bg-bg px-2.5 text-body text-text placeholder:text-muted aria-invalid:border-bad disabled:bg-sunken'

/** Classes of inputs and other fields. */
export const CONTROL = `w-full ${CONTROL_LOOK}`

/** Classes of a link or button in a line of text, so that a finger can hit it. */
export const TOUCHABLE = 'inline-flex min-h-6 min-w-6 items-center justify-end'
