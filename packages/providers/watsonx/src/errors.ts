import { errorsByCode } from '@headgate/core/provider'

/** Codes with another meaning than the status. */
export const readError = errorsByCode({
  token_quota_reached: 'our-quota',
  model_not_supported: 'unknown-model',
  model_no_support_for_function: 'unknown-model',
})
