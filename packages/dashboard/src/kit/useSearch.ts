import { useEffect, useEffectEvent, useRef, useState } from "react"

/** Milliseconds without a key after which a text is taken over. */
const PAUSE = 300

/**
 * A text of a search field and a function that changes it. `onSearch` gets the text once nobody types any more, so that not every
 * letter is a request. A text that comes from elsewhere, such as the address, is shown.
 */
export const useSearch = (
  value: string | undefined,
  onSearch: (text: string | undefined) => void
): readonly [text: string, setText: (text: string) => void] => {
  const [text, setText] = useState(value ?? "")
  const sent = useRef(value ?? "")
  const search = useEffectEvent(onSearch)
  useEffect(() => {
    if ((value ?? "") === sent.current) return
    sent.current = value ?? ""
    setText(value ?? "")
  }, [value])
  useEffect(() => {
    if (text.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text.trim()
      search(text.trim() || undefined)
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText]
}
