import { useEffect, useRef } from "react"

/** Draws after each rendering, and when the colours of the page change. At most once a frame. */
export const useRedraw = (draw: () => void) => {
  const latest = useRef(draw)
  latest.current = draw
  const frame = useRef(0)
  const request = useRef(() => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => latest.current())
  })
  useEffect(() => request.current())
  useEffect(() => {
    const changed = request.current
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const observer = new MutationObserver(changed)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme"] })
    dark.addEventListener("change", changed)
    return () => {
      observer.disconnect()
      dark.removeEventListener("change", changed)
      cancelAnimationFrame(frame.current)
    }
  }, [])
}
