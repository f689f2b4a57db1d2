import { cloneElement, lazy, Suspense, useState } from "react"
import type { MenuProps } from "./base/MenuBase.tsx"

const MenuBase = lazy(() => import("./base/MenuBase.tsx"))

/** A menu of actions under a button. Its code is loaded when it is first opened. */
export const Menu = ({ trigger, items }: MenuProps) => {
  const [wanted, setWanted] = useState(false)
  const closed = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setWanted(true)
  })
  return wanted ? (
    <Suspense fallback={closed}>
      <MenuBase trigger={trigger} items={items} />
    </Suspense>
  ) : (
    closed
  )
}
