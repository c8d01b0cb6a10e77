// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { DiffFold } from '../../web/pages/playground/chat/diff-fold.tsx'
import { NO_CHAT } from '../../web/pages/playground/chat/use-chats.ts'

afterEach(cleanup)

const chatOf = (text: string, isBusy = false) => ({
  ...NO_CHAT,
  isBusy,
  turns: [{ role: 'assistant', text, reasoning: '', thoughts: [], items: [], calls: [] } as const],
})

describe('The last responses of two models', () => {
  it('are compared by word, as text', async () => {
    const chats = { one: chatOf('The sky is blue. <img src=x>'), two: chatOf('The sky is red. <img src=x>') }
    render(<DiffFold models={['one', 'two']} chats={chats} />)
    const compared = await screen.findByLabelText('Differences of one and two', undefined, { timeout: 10_000 })
    expect(compared.querySelector('del')?.textContent).toBe('blue')
    expect(compared.querySelector('ins')?.textContent).toBe('red')
    expect(compared.querySelector('img')).toBeNull()
    expect(compared.textContent).toBe('The sky is bluered. <img src=x>')
  })

  it('are not compared before both have ended', () => {
    const { container } = render(
      <DiffFold models={['one', 'two']} chats={{ one: chatOf('a'), two: chatOf('b', true) }} />,
    )
    expect(container.textContent).toBe('')
  })
})
