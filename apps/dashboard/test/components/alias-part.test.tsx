// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { AliasPart } from '../../web/pages/models/alias-part.tsx'
import { show } from './shown.tsx'

describe('The definition of an alias', () => {
  it('has its models in order, fallbacks, the policy and where it is set', async () => {
    await show(
      '/models',
      <AliasPart
        id="best"
        of={{
          targets: [
            { model: 'large', weight: 2 },
            { model: 'acme/small', on: ['context-too-long', 'timeout'] },
          ],
          policy: 'weighted',
          policyFrom: 'routing',
          minContext: 100_000,
          labels: { region: ['eu', 'ch'] },
          hedge: true,
        }}
      />,
    )
    const [first, second] = await screen.findAllByRole('listitem')
    expect(first?.textContent).toBe('large · weight 2')
    expect(second?.textContent).toBe('acme/small · only after: input exceeds the model’s context, provider timeout')
    const part = screen.getByRole('region', { name: 'Alias' })
    for (const text of ['weighted (routing.policy of the configuration)', '100,000', 'eu or ch'])
      expect(part.textContent).toContain(text)
    expect(part.textContent).toContain('Set in the configuration file, as models["best"].')
    expect(screen.queryByRole('button')).toBeNull()
  })
})
