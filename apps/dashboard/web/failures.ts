/** Descriptions of kinds of failures. */
export const FAILURES: Readonly<Record<string, string>> = {
  'invalid-request': 'invalid request',
  'context-too-long': 'input exceeds the model’s context',
  'unknown-model': 'unknown model',
  'content-policy': 'rejected by the provider’s content policy',
  'our-credential': 'provider rejected the gateway’s API key',
  'our-quota': 'provider quota exhausted',
  'rate-limited': 'rate limited by the provider',
  overloaded: 'provider overloaded',
  upstream: 'provider error',
  timeout: 'provider timeout',
  cut: 'response incomplete',
  forbidden: 'not permitted for this key',
  'not-found': 'not found',
  'too-large': 'request too large',
  'over-limit': 'rate limit exceeded',
  'over-budget': 'budget exceeded',
  unavailable: 'gateway store unavailable',
  loop: 'request loop through this gateway',
  canceled: 'canceled by the caller',
  internal: 'gateway error',
}

export function failureText(kind: string): string {
  return FAILURES[kind] ?? kind
}
