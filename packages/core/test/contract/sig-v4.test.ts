import { describe, expect, it } from 'vitest'
import { signV4 } from '../../src/credentials.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const scope = { service: 'service', region: 'us-east-1' }
const at = new Date('2015-08-30T12:36:00Z')

function signature(url: string, method = 'GET', body = '', headers = {}, extra = {}): string | undefined {
  const added = signV4({ method, url: new URL(url), headers, body }, { ...keys, ...extra }, scope, at)
  return /Signature=(\w+)/.exec(added['authorization'] ?? '')?.[1]
}

/** Cases of the vendor's test suite (aws-sig-v4-test-suite). */
describe('A request for AWS', () => {
  it('is signed as in the case get-vanilla', () => {
    expect(
      signV4({ method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' }, keys, scope, at),
    ).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    })
  })

  it('has its query in order, as in get-vanilla-query-order-key-case', () => {
    expect(signature('https://example.amazonaws.com/?Param2=value2&Param1=value1')).toBe(
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    )
  })

  it('covers its content type and its body, as in post-x-www-form-urlencoded', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(signature('https://example.amazonaws.com/', 'POST', 'Param1=value1', headers)).toBe(
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    )
  })

  it('covers a session token, and anything else changes the signature', () => {
    const path = 'https://example.amazonaws.com/model/amazon.nova%3A0/converse'
    const seen = [
      signature(path),
      signature(path, 'POST'),
      signature(path, 'POST', 'x'),
      signature(path, 'GET', '', {}, { sessionToken: 't' }),
    ]
    expect(new Set(seen).size).toBe(4)
  })

  /** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
  it('to S3 names the hash of its body, and encodes its path once', () => {
    const s3 = { service: 's3', region: 'us-east-1' }
    const own = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
    const of = (url: string) =>
      signV4({ method: 'GET', url: new URL(url), headers: {}, body: '' }, own, s3, new Date('2013-05-24T00:00:00Z'))
    const listed = of('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J')
    expect(listed['authorization']).toContain(
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    )
    expect(listed['x-amz-content-sha256']).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(of('https://b.s3.amazonaws.com/a=b')).toEqual(of('https://b.s3.amazonaws.com/a%3Db'))
  })
})
