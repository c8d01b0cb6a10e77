import { accessToken, clientCredentials } from '@headgate/core/credentials'
import { apiKey, baseUrl, type Credential, type HttpRequest, required } from '@headgate/core/provider'
import { z } from 'zod'

/** Metadata service of a virtual machine. */
const MACHINE = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01'

const url = z.url({ protocol: /^https?$/ })

const resourceFields = {
  resource: z
    .string()
    .regex(/^[a-zA-Z0-9-]+$/, 'must be the name of a resource')
    .optional(),
  baseUrl: baseUrl.overwrite((address) => address.replace(/\/(?:openai|anthropic)(?:\/v1)?$/, '')).optional(),
  apiVersion: z.string().trim().min(1).optional(),
  claude: z.array(z.string()).default([]),
}

const credentialFields = {
  apiKey: apiKey.optional(),
  tenantId: z
    .string()
    .regex(/^[\w.-]+$/, 'must be the id or a domain of a tenant')
    .optional(),
  clientId: z.string().trim().min(1).optional(),
  clientSecret: z.string().trim().min(1).optional(),
  federatedTokenFile: z.string().trim().min(1).optional(),
  authority: url.default('https://login.microsoftonline.com'),
  scope: z.string().trim().min(1).default('https://cognitiveservices.azure.com/.default'),
  identityEndpoint: url.optional(),
  identityHeader: z.string().trim().min(1).optional(),
  managedIdentity: z.boolean().default(false),
}

const NO_CREDENTIAL = 'no credentials: set AZURE_API_KEY, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET'

/** Config with the base URL of the resource and the credential. */
export const config = z.strictObject({ ...credentialFields, ...resourceFields }).transform((given, context) => {
  const origin = given.baseUrl ?? (given.resource && `https://${given.resource}.openai.azure.com`)
  return {
    ...given,
    baseUrl: required(origin, context, 'no resource: set AZURE_OPENAI_ENDPOINT', 'baseUrl'),
    credential: required(credentialOf(given), context, NO_CREDENTIAL),
  }
})

type AzureFields = z.output<z.ZodObject<typeof credentialFields>>

/** First credential in the config. Undefined if it has none. */
function credentialOf(given: AzureFields): Credential | undefined {
  const { apiKey: value, tenantId, clientId, clientSecret, federatedTokenFile: tokenFile, authority, scope } = given
  if (value !== undefined) return { kind: 'header', name: 'api-key', value }
  if (tenantId !== undefined && clientId !== undefined && (clientSecret ?? tokenFile) !== undefined) {
    const tokenUrl = `${authority.replace(/\/+$/, '')}/${tenantId}/oauth2/v2.0/token`
    return clientCredentials({ tokenUrl, clientId, clientSecret, tokenFile, scope })
  }
  return identityOf(given)
}

/**
 * Managed identity of Azure: of an app or container, by the endpoint in its environment, otherwise of the virtual
 * machine.
 *
 * @see https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference
 */
function identityOf({
  identityEndpoint,
  identityHeader,
  managedIdentity,
  scope,
  clientId,
}: AzureFields): Credential | undefined {
  const asked = new URLSearchParams({
    resource: scope.replace(/\/\.default$/, ''),
    ...(clientId !== undefined && { client_id: clientId }),
  })
  const get = (address: string, headers: NonNullable<HttpRequest['headers']>): Credential =>
    accessToken(
      address,
      () => ({ method: 'GET', url: address, headers }),
      identityHeader === undefined ? [] : [identityHeader],
    )
  if (identityEndpoint !== undefined && identityHeader !== undefined)
    return get(`${identityEndpoint}?api-version=2019-08-01&${asked}`, { 'x-identity-header': identityHeader })
  return managedIdentity ? get(`${MACHINE}&${asked}`, { metadata: 'true' }) : undefined
}
