import { accessToken, postForm } from '@headgate/core/credentials'
import type { Credential } from '@headgate/core/provider'

/**
 * A key of IBM Cloud, for which its identity service gives a token that lasts an hour.
 * @see https://cloud.ibm.com/apidocs/iam-identity-token-api#gettoken-apikey
 */
export function iam(iamUrl: string, apikey: string): Credential {
  const url = `${iamUrl}/identity/token`
  return accessToken(url, () => postForm(url, { grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey }), [
    apikey,
  ])
}
