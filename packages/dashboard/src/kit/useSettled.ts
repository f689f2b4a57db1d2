import { useEffect, useState } from "react"

/** A JSON value once it has not changed for a moment, so that not each typed figure is asked for. */
export const useSettled = <A>(value: A): A => {
  const [settled, settle] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(JSON.parse(key) as A), 250)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}
