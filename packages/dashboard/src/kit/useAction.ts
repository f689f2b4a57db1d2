import { useCallback, useContext, useState } from "react"
import { type Problem, problemFrom } from "../api/problems.ts"
import { SignInAgainContext } from "./SignInAgain.tsx"

export interface Act<Args extends ReadonlyArray<unknown>, A> {
  /** Runs the act, unless it is running. Resolves with undefined if it failed, which `problem` then explains. */
  readonly run: (...args: Args) => Promise<A | undefined>
  readonly busy: boolean
  readonly problem: Problem | undefined
  readonly forget: () => void
}

/**
 * A write of the page with its state. If it needs a sign-in of the last minutes, the page asks for one and then runs it again.
 */
export const useAction = <Args extends ReadonlyArray<unknown>, A>(act: (...args: Args) => Promise<A>): Act<Args, A> => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const signInAgain = useContext(SignInAgainContext)
  const run = useCallback(
    async (...args: Args): Promise<A | undefined> => {
      if (busy) return undefined
      setBusy(true)
      setProblem(undefined)
      const attempt = (): Promise<A | undefined> =>
        act(...args).catch(async (error) => {
          const failed = problemFrom(error)
          if (failed.kind === "sign-in-again" && (await signInAgain())) return attempt()
          setProblem(failed)
          return undefined
        })
      try {
        return await attempt()
      } finally {
        setBusy(false)
      }
    },
    [act, busy, signInAgain]
  )
  return { run, busy, problem, forget: () => setProblem(undefined) }
}
