import { Effect } from "effect"

/** Completes once the page is hidden, or shown; at once if it is. */
const whenVisibilityIs = (state: DocumentVisibilityState) =>
  Effect.callback<void>((resume) => {
    const check = () => {
      if (document.visibilityState === state) resume(Effect.void)
    }
    document.addEventListener("visibilitychange", check)
    check()
    return Effect.sync(() => document.removeEventListener("visibilitychange", check))
  })

/** Completes when the page is shown after it was hidden. */
export const untilShownAgain = Effect.andThen(whenVisibilityIs("hidden"), whenVisibilityIs("visible"))
