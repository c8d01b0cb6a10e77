// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { PriceForm } from '../../web/pages/models/price-form.tsx'
import { UnpricedRequests } from '../../web/pages/models/unpriced.tsx'
import { account, choose, show } from './shown.tsx'

const open = async (source?: 'store' | 'config') => {
  const onDone = vi.fn()
  const own = { id: 'p', provider: 'acme', model: 'm', validFrom: 7, rates: null }
  const form = <PriceForm provider="acme" model="m" of={undefined} onDone={onDone} />
  const shown = await show('/models', form, {
    'GET /me': account(),
    'GET /prices': { items: source ? [{ ...own, source }] : [] },
    'PUT /prices': async () => ({ ...own, source: 'store' }),
  })
  return { onDone, ...shown }
}

describe('Requests without a price', () => {
  it('are counted, and get the current price', async () => {
    const { user, writes } = await show('/models', <UnpricedRequests provider="acme" model="m" />, {
      'GET /prices/unpriced': { requests: 12, since: 0 },
      'POST /prices/reprice': async () => ({ requests: 12 }),
    })
    await user.click(await screen.findByRole('button', { name: 'Price these 12 now' }))
    await waitFor(() => expect(writes().map(({ body }) => body)).toEqual([{ provider: 'acme', model: 'm' }]))
  })

  it('are not mentioned if there are none', async () => {
    const { sent } = await show('/models', <UnpricedRequests provider="acme" model="m" />, {
      'GET /prices/unpriced': { requests: 0 },
    })
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(screen.queryByRole('button')).toBeNull()
  })
})

describe('The form of a price', () => {
  it('says at each field what is wrong, and its button is never dead', async () => {
    const { user, writes } = await open('store')
    const button = await screen.findByRole('button', { name: 'Save price' })
    await user.type(screen.getByLabelText('Input ($/M)'), 'abc')
    await user.click(button)
    expect(screen.getByText('Enter an amount in dollars, such as 0.25.')).toBeTruthy()
    expect(screen.getByText('Enter a rate. 0 = free, or priced by units only.')).toBeTruthy()
    expect([writes().length, button.hasAttribute('disabled')]).toEqual([0, false])
  })

  it('sets units, tiers, long requests and the minimum, for the version that was read', async () => {
    const { user, writes, onDone } = await open('store')
    const type = async (label: string, text: string) => user.type(await screen.findByLabelText(label), text)
    await type('Input ($/M)', '0.25')
    await type('Output ($/M)', '2')
    await user.click(screen.getByText('Service tiers'))
    await user.click(screen.getByRole('button', { name: 'Add tier' }))
    await choose(user, 'Tier', 'flex')
    await type('Factor', '0.5')
    await user.click(screen.getByText('Units and minimum'))
    await user.click(screen.getByRole('button', { name: 'Add unit' }))
    await choose(user, 'Unit', 'images')
    await type('Price per million ($)', '40000')
    expect(screen.getByText('$0.04 each')).toBeTruthy()
    await type('Variant', '2K')
    await user.click(screen.getByRole('button', { name: 'Add minimum count' }))
    await choose(user, 'Counted unit', 'seconds')
    await type('Minimum count', '10')
    await type('Minimum per request ($)', '0.001')
    await user.click(screen.getByRole('button', { name: 'Save price' }))
    await waitFor(() => expect(onDone).toHaveBeenCalled())
    const [{ body, headers } = { body: {}, headers: new Headers() }] = writes()
    expect([body, headers.get('if-match')]).toEqual([
      {
        provider: 'acme',
        model: 'm',
        rates: {
          input: 250_000_000,
          output: 2_000_000_000,
          tiers: { flex: { factor: 0.5 } },
          variants: { '2K': { images: 40_000_000_000_000 } },
          least: { seconds: 10 },
          minimum: 1_000_000,
        },
      },
      '"7"',
    ])
  })

  it('of the configuration file is read-only and says so', async () => {
    await open('config')
    expect(await screen.findByText(/comes from `prices` in the configuration/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Save price' })).toBeNull()
  })
})
