/** Languages of the user, by preference. */
export const LOCALES: readonly string[] = navigator.languages
