// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Markdown } from '../../web/pages/playground/chat/markdown.tsx'
import { show } from './shown.tsx'

const main = () => {
  const element = document.querySelector('[data-answer]')
  if (!(element instanceof HTMLElement)) throw new Error('There is no answer.')
  return element
}
const render = (text: string) =>
  show(
    '/playground',
    <div data-answer>
      <Markdown text={text} />
    </div>,
  )

describe('Markdown of a model', () => {
  it('has headings, lists, tables, code, quotes and emphasis', async () => {
    await render(
      '# Title\n\nSome **bold**, *slanted* and `code`.\n\n3. three\n4. four\n   - below\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n> quoted\n\n```ts\nlet a = "<b>"\n```\n\n- [x] done',
    )
    expect(screen.getByRole('heading', { name: 'Title', level: 3 })).toBeTruthy()
    for (const [tag, text] of Object.entries({ strong: 'bold', em: 'slanted', blockquote: 'quoted' }))
      expect([tag, main().querySelector(tag)?.textContent]).toEqual([tag, text])
    expect([main().querySelector('ol')?.start, main().querySelectorAll('ol li').length]).toEqual([3, 3])
    expect(
      within(screen.getByRole('table'))
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['1', '2'])
    expect(main().querySelector('figure')?.textContent).toContain('let a = "<b>"')
    expect(main().textContent).toContain('☑ done')
  })

  it('has only links to the web and to mail, opened apart, and no images', async () => {
    await render(
      '[web](https://a.example/x) [mail](mailto:a@b.example) [bad](javascript:alert(1)) [data](data:text/html,x) [here](/keys) ![pixel](https://a.example/p.png)',
    )
    const links = screen.getAllByRole('link').map((link) => [link.getAttribute('href'), link.getAttribute('rel')])
    expect(links).toEqual([
      ['https://a.example/x', 'noopener noreferrer'],
      ['mailto:a@b.example', 'noopener noreferrer'],
    ])
    expect(main().querySelector('img')).toBeNull()
    expect(main().textContent).toContain('[bad](javascript:alert(1))')
  })

  it('shows HTML as the text that it is', async () => {
    const html = '<img src=x onerror=alert(1)>\n\n<script>alert(2)</script> <b onclick="x()">bold</b>'
    await render(html)
    for (const tag of ['img', 'script', 'b']) expect([tag, main().querySelector(tag)]).toEqual([tag, null])
    expect(main().textContent).toContain('<img src=x onerror=alert(1)>')
    expect(main().textContent).toContain('<b onclick="x()">')
  })

  it('is text where it is nested or long without end', async () => {
    await render(`${'> '.repeat(5_000)}deep`)
    expect(main().textContent).toContain('deep')
    expect(main().querySelectorAll('blockquote').length).toBeLessThanOrEqual(12)
  })
})
