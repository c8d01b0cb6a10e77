/** Path prefix under which a proxy serves the gateway, such as `/models`, or empty. The server writes it into the page. */
export const BASE_PATH: string =
  (typeof document === 'undefined'
    ? undefined
    : document.querySelector<HTMLMetaElement>('meta[name="headgate-base"]')?.content) ?? ''

/** Base URL for clients of the gateway, without a trailing slash. */
export function gatewayUrl(): string {
  return `${location.origin}${BASE_PATH}`
}
