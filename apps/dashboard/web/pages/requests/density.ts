import { useLayoutEffect } from 'react'
import { usePreference } from './preferences.ts'

/** Heights of rows that a user can choose, in pixels. Without a choice, the height depends on the window. */
export const DENSITIES = { compact: 24, comfortable: 40 } as const
export type Density = keyof typeof DENSITIES

export function isDensity(text: string | undefined): text is Density {
  return text !== undefined && Object.hasOwn(DENSITIES, text)
}

/** Applies the chosen height of rows while the list is open. Rows for touch keep their size. @returns the choice */
export function useDensity(): Density | undefined {
  const stored = usePreference('density.requests')
  const density = isDensity(stored) ? stored : undefined
  useLayoutEffect(() => {
    if (density === undefined || !matchMedia('(pointer: fine)').matches) return undefined
    const { style } = document.documentElement
    style.setProperty('--row', `${DENSITIES[density]}px`)
    return () => void style.removeProperty('--row')
  }, [density])
  return density
}
