import { errorReader } from '@headgate/core/codec'

/** Reads an error: its type is a header, or the name of an exception within a stream. */
export const readError = errorReader({
  codes: [
    [/throttling|servicequotaexceeded|modelnotready/, 'rate-limited'],
    [/validation/, 'invalid-request'],
    [/accessdenied|expiredtoken|unrecognizedclient|invalidsignature/, 'our-credential'],
    [/resourcenotfound/, 'unknown-model'],
    [/serviceunavailable/, 'overloaded'],
    [/internalserver|modelstreamerror|modelerror|modeltimeout/, 'upstream'],
  ],
  phrases: [[/model identifier is invalid/i, 'unknown-model']],
})
