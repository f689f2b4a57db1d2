import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

export type Parameters = Readonly<Record<string, string | undefined>>
export type ChangeParameters = (changed: Parameters, options?: { readonly replace?: boolean }) => void

/**
 * The parameters of the address, in which a page keeps its filters, its page number and its chosen tab, so that a link leads to the
 * same view. Setting some leaves the others; undefined removes one. A changed filter should remove `page`.
 *
 * A change is a step, which the browser's way back undoes. `replace` changes the present step instead: for what goes on being typed,
 * and for what is closed.
 */
export const useParameters = (): readonly [Parameters, ChangeParameters] => {
  const parameters = useSearch({ strict: false }) as Parameters
  const navigate = useNavigate()
  const change = useCallback(
    (changed: Parameters, options?: { readonly replace?: boolean }) =>
      void navigate({
        to: ".",
        search: (former) => ({ ...former, ...changed }),
        replace: options?.replace === true,
        resetScroll: false
      }),
    [navigate]
  )
  return [parameters, change]
}

/** A whole number from a parameter, at least 1. */
export const pageNumber = (text: string | undefined): number => {
  const value = Number(text)
  return Number.isSafeInteger(value) && value >= 1 ? value : 1
}
