import type { Mail } from '../api/parts.ts'

interface Text {
  readonly subject: string
  readonly text: string
}

const NOT_YOU = 'If you did not request this, you can ignore this mail.'

/** Subject and text of a mail. They contain nothing from callers, except names of budgets, organizations and projects. */
export function textOf({ kind, link = '', alert, statement }: Omit<Mail, 'to'>, gateway: string): Text {
  switch (kind) {
    case 'reset':
      return {
        subject: 'A new password for Headgate',
        text: `A new password was requested for your account at ${gateway}. Set it within one hour:\n\n${link}\n\n${NOT_YOU}\n`,
      }
    case 'sign-up':
      return {
        subject: 'Your account at Headgate',
        text: `Create your account at ${gateway} within one day:\n\n${link}\n\n${NOT_YOU}\n`,
      }
    case 'invite':
      return {
        subject: 'You are invited to Headgate',
        text: `You are invited to ${gateway}. Join within seven days:\n\n${link}\n\nAnyone with this link can join, so do not share it.\n`,
      }
    case 'alert':
      return { subject: alert?.subject ?? '', text: `${alert?.text ?? ''}\n${gateway}\n` }
    case 'statement':
      return { subject: statement?.subject ?? '', text: statement?.text ?? '' }
    case 'known':
      return {
        subject: 'You have an account at Headgate',
        text: `An account at ${gateway} was requested for this mail address, but you already have one. Sign in there, or request a new password.\n\n${NOT_YOU}\n`,
      }
  }
}
