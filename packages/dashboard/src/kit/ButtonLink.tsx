import { createLink, type LinkComponent } from "@tanstack/react-router"
import { ButtonAnchor } from "./Button.tsx"

const RouterButton = createLink(ButtonAnchor)

/** A link to another view of the page that looks like a button. */
export const ButtonLink: LinkComponent<typeof ButtonAnchor> = (props) => <RouterButton {...props} />
