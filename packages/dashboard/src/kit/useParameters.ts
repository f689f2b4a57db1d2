import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

export type Parameters = Readonly<Record<string, string | undefined>>

/**
 * The parameters of the address, in which a page keeps its filters, its page number and its chosen tab, so that a link leads to the
 * same view. Setting some leaves the others; undefined removes one. A changed filter should remove `page`.
 */
export const useParameters = (): readonly [
  Parameters,
  (changed: Parameters, options?: { readonly push?: boolean }) => void
] => {
  const parameters = useSearch({ strict: false }) as Parameters
  const navigate = useNavigate()
  const change = useCallback(
    (changed: Parameters, options?: { readonly push?: boolean }) =>
      void navigate({
        to: ".",
        search: (former) => ({ ...former, ...changed }),
        replace: options?.push !== true,
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
