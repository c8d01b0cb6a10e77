import { accessToken, postForm } from '@headgate/core/credentials'
import type { Credential } from '@headgate/core/provider'

/**
 * IBM Cloud API key, exchanged at the identity service for a token with a lifetime of one hour.
 *
 * @see https://cloud.ibm.com/apidocs/iam-identity-token-api#gettoken-apikey
 */
export function iam(iamUrl: string, apikey: string): Credential {
  const url = `${iamUrl}/identity/token`
  return accessToken(url, () => postForm(url, { grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey }), [
    apikey,
  ])
}
