/**
 * The path below which a proxy serves the gateway: `/models`, or empty. The server writes it into the page.
 */
export const BASE_PATH: string =
  (typeof document === 'undefined'
    ? undefined
    : document.querySelector<HTMLMetaElement>('meta[name="headgate-base"]')?.content) ?? ''

/** The URL that clients of the gateway use, without a slash at its end. */
export function gatewayUrl(): string {
  return `${location.origin}${BASE_PATH}`
}
