/**
 * Runs something while the page is in use: from when it is shown until it has been hidden for a while. It ends at once when the page is
 * left, because browsers keep left pages with their connections, and when the browser freezes it; it runs again when the page is back.
 * `run` returns the function that ends it. Returns a function that ends all.
 */
export const whileInUse = (run: () => () => void, hiddenForMs: number): (() => void) => {
  let end: (() => void) | undefined
  let isLeft = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const stop = () => {
    clearTimeout(timer)
    end?.()
    end = undefined
  }
  const check = () => {
    clearTimeout(timer)
    if (isLeft) stop()
    else if (document.visibilityState === "visible") end ??= run()
    else timer = setTimeout(stop, hiddenForMs)
  }
  const leave = () => {
    isLeft = true
    check()
  }
  const comeBack = () => {
    isLeft = false
    check()
  }

  const listeners = [
    [document, "visibilitychange", check],
    [document, "freeze", leave],
    [document, "resume", comeBack],
    [window, "pagehide", leave],
    [window, "pageshow", comeBack]
  ] as const
  for (const [target, type, listener] of listeners) target.addEventListener(type, listener)
  check()
  return () => {
    for (const [target, type, listener] of listeners) target.removeEventListener(type, listener)
    stop()
  }
}
