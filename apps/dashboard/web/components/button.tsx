import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classes } from './classes.ts'

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger'

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-field px-3 min-h-(--control) pointer-coarse:min-h-11 text-body font-medium whitespace-nowrap disabled:opacity-60'

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  primary: 'bg-accent text-on-accent border border-transparent hover:opacity-90',
  plain: 'border border-field bg-bg hover:bg-sunken',
  quiet: 'border border-transparent text-muted hover:bg-sunken hover:text-text',
  danger: 'border border-bad text-bad bg-bg hover:bg-bad-tint',
}

/** Classes of a button, also for links. */
export function buttonClass(look: ButtonLook = 'plain', more?: string): string {
  return classes(BASE, LOOKS[look], more)
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook
  /** True while the action runs. The button is disabled meanwhile. */
  readonly isBusy?: boolean
  readonly children?: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ look, isBusy = false, className, disabled, type = 'button', children, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={buttonClass(look, className)}
    >
      {children}
    </button>
  )
}

/** Button with only an icon. Its label is the tooltip and the name for screen readers. */
export function IconButton({ label, className, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <Button
      look="quiet"
      {...rest}
      aria-label={label}
      title={label}
      className={classes('px-0! min-w-8 pointer-coarse:min-w-11', className)}
    />
  )
}
