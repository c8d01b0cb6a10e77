import { errorsByCode } from '@headgate/core/provider'

/**
 * Codes that mean something else than the status. @see
 * https://ibm.github.io/watsonx-ai-java-sdk/advanced/error-handling
 */
export const readError = errorsByCode({
  token_quota_reached: 'our-quota',
  model_not_supported: 'unknown-model',
  model_no_support_for_function: 'unknown-model',
})
