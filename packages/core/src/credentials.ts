/** Entry for credentials that vendors' APIs require. */
export { awsEnv, awsFields, awsHost, awsKeys, awsRegion } from './credentials/aws.ts'
export { type AwsRole, assumedKeys, webIdentityKeys } from './credentials/aws-roles.ts'
export { bearer } from './credentials/bearer.ts'
export { type ClientCredentials, clientCredentials } from './credentials/client-credentials.ts'
export { googleCredential } from './credentials/external-account.ts'
export { serviceAccount } from './credentials/service-account.ts'
export { type AwsKeys, type SigV4, signV4, sigV4 } from './credentials/sig-v4.ts'
export { accessToken, postForm } from './credentials/token.ts'
