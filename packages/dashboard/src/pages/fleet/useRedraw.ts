import { useEffect, useEffectEvent, useRef } from "react"

/** Draws after each rendering, and when the colours of the page change. At most once a frame. */
export const useRedraw = (draw: () => void) => {
  const paint = useEffectEvent(draw)
  const frame = useRef(0)
  useEffect(() => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => paint())
  })
  useEffect(() => {
    const changed = () => {
      cancelAnimationFrame(frame.current)
      frame.current = requestAnimationFrame(() => paint())
    }
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
