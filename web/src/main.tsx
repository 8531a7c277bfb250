// Where the page begins.

import { render } from "preact";
import { App } from "./app";
import { begin } from "./state";
import { language } from "./strings";
import "./style.css";

document.documentElement.lang = language;
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void begin();
