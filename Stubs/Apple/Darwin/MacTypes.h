#pragma once

// MacTypes.h: a name of QuickDraw's that a file has with Foundation · macOS 10.0, iOS 2.0 ?
typedef unsigned char Style;
