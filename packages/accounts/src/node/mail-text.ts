import type { Mail } from '../api/parts.ts'

interface Text {
  readonly subject: string
  readonly text: string
}

const NOT_YOU = 'If you did not ask for it, you need not do anything.'

/** What a mail says. Nothing of it is a caller's own words. */
export function textOf({ kind, link = '' }: Pick<Mail, 'kind' | 'link'>, gateway: string): Text {
  switch (kind) {
    case 'reset':
      return {
        subject: 'A new password for Headgate',
        text: `Somebody has asked for a new password for your account at ${gateway}. Choose one within an hour:\n\n${link}\n\n${NOT_YOU}\n`,
      }
    case 'sign-up':
      return {
        subject: 'Your account at Headgate',
        text: `Make your account at ${gateway} within a day:\n\n${link}\n\n${NOT_YOU}\n`,
      }
    case 'invite':
      return {
        subject: 'You are invited to Headgate',
        text: `You are invited to ${gateway}. Join within seven days:\n\n${link}\n\nWho has it can join: do not hand it on.\n`,
      }
    case 'known':
      return {
        subject: 'You have an account at Headgate',
        text: `Somebody wanted to make an account at ${gateway} for this mail address. You have one already: sign in there, or ask for a new password.\n\n${NOT_YOU}\n`,
      }
  }
}
