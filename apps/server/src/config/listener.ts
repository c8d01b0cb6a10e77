import { isNetwork } from '@headgate/gateway/ports'
import { z } from 'zod'

const file = z.string().min(1)

const clients = z.strictObject({
  ca: file.describe('File with the certificates of the authorities that sign the certificates of callers, in PEM.'),
  crl: file
    .exactOptional()
    .describe(
      'File with the revocation lists of these authorities, in PEM: one for each. An expired list refuses all callers. Default: no revocation.',
    ),
})

/** TLS on the listener. */
export const tls = z.strictObject({
  certificate: file.describe('File with the certificate and its intermediate certificates, in PEM.'),
  key: file.describe('File with the private key of the certificate, in PEM, without a password.'),
  clients: clients
    .exactOptional()
    .describe(
      'Mutual TLS: connections without a valid certificate of these authorities are closed. Callers still need an API key. Default: off.',
    ),
})

/** Fields of `server` for connections. */
export const connections = {
  tls: tls
    .exactOptional()
    .describe(
      'HTTPS instead of HTTP. Paths are relative to the configuration file. Changed files are used within 10 seconds. Default: HTTP.',
    ),
  healthPort: z
    .int()
    .min(0)
    .max(65535)
    .exactOptional()
    .describe(
      'Separate port for `/healthz` and `/readyz`, always HTTP, for probes that cannot use `tls.clients` or `proxyProtocol`; 0 picks a free port. Default: none.',
    ),
  proxyProtocol: z
    .array(z.string().refine(isNetwork, 'is neither an IP address nor a network, such as 10.0.0.7 or 10.0.0.0/24'))
    .min(1)
    .exactOptional()
    .describe(
      'Addresses and networks of load balancers that send the PROXY protocol, version 1 or 2. Their connections must begin with its header; on other connections it is an error. By default none.',
    ),
}

export type TlsConfig = z.output<typeof tls>
