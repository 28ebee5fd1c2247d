"""SCons runs this first; what it puts on sys.path stays there, unlike what a SConstruct does."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
