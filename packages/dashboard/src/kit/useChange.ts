import { useCallback } from "react"

export interface ChangeOptions {
  readonly replace?: boolean
  /** The step is a zoom, from which a key leads back. */
  readonly isZoom?: boolean
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    readonly isZoom?: boolean
  }
}

/** Changes some of the parameters of the address. The others stay; undefined removes one. A changed filter should remove `page`. */
export type Change<Search> = (changed: Partial<Search>, options?: ChangeOptions) => void

interface Step<Search> {
  readonly to: "."
  readonly search: (former: Search) => Search
  readonly replace: boolean
  readonly state: { readonly isZoom?: boolean }
  readonly resetScroll: false
}

/**
 * A function that changes parameters of a page, given the page's `useNavigate`.
 *
 * A change is a step, which the browser's way back undoes. `replace` changes the present step instead: for what goes on being typed,
 * and for what is closed.
 */
export const useChange = <Search>(navigate: (step: Step<Search>) => Promise<void>): Change<Search> =>
  useCallback(
    (changed, options) =>
      void navigate({
        to: ".",
        search: (former) => ({ ...former, ...changed }),
        replace: options?.replace === true,
        state: options?.isZoom === true ? { isZoom: true } : {},
        resetScroll: false
      }),
    [navigate]
  )
