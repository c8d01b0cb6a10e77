/** How vendors want to be shown who asks. */
export { awsEnv, awsFields, awsHost, awsKeys, awsRegion } from './contract/credentials/aws.ts'
export { bearer } from './contract/credentials/bearer.ts'
export { type ClientCredentials, clientCredentials } from './contract/credentials/client-credentials.ts'
export { serviceAccount } from './contract/credentials/service-account.ts'
export { type AwsKeys, type SigV4, signV4, sigV4 } from './contract/credentials/sig-v4.ts'
export { accessToken, postForm } from './contract/credentials/token.ts'
